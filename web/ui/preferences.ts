import { useMantineColorScheme } from '@mantine/core'
import { setLanguage } from '../../contract/accounts.ts'
import { callApi } from '../api/call.ts'
import { currentSession } from '../session/session.ts'
import { isStorageKept } from '../storage.ts'
import { changeLanguage, knownLanguages, language, t } from '../texts.ts'
import type { IconName } from './icon.tsx'

/** Changes the language of this browser, and of the mails to the signed-in person. */
export async function chooseLanguage(code: string) {
  if (currentSession()) await callApi(setLanguage, { body: { language: code } }).catch(() => undefined)
  changeLanguage(code)
}

/**
 * The languages that a person can change to: none if the browser stores nothing, because the change reloads the page.
 */
export const otherLanguages = () => (isStorageKept() ? knownLanguages().filter(({ code }) => code !== language) : [])

const schemes = () =>
  ({
    auto: { label: t('ui.preferences.colours-like-the-system'), icon: 'screen' },
    light: { label: t('ui.preferences.light-colours'), icon: 'sun' },
    dark: { label: t('ui.preferences.dark-colours'), icon: 'moon' },
  }) as const satisfies Record<string, { label: string; icon: IconName }>

/** The colour schemes that a person can change to. */
export function useOtherColours() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (['auto', 'light', 'dark'] as const)
    .filter((scheme) => scheme !== colorScheme)
    .map((scheme) => ({ scheme, ...schemes()[scheme], choose: () => setColorScheme(scheme) }))
}
