import { useState } from 'react'
import { setLanguage } from '../../contract/accounts.ts'
import { callApi } from '../api/call.ts'
import { currentSession } from '../session/session.ts'
import { isStorageKept } from '../storage.ts'
import { changeLanguage, knownLanguages, language, t } from '../texts.ts'
import classes from './language-select.module.css'

/** Changes the language of this browser, and of the mails to the signed-in person. */
async function chooseLanguage(code: string) {
  if (currentSession()) await callApi(setLanguage, { body: { language: code } }).catch(() => undefined)
  changeLanguage(code)
}

/** Changes the language. Each has its own name, for people who cannot read the present one. */
export const LanguageSelect = () => {
  const languages = knownLanguages()
  const [is_kept] = useState(isStorageKept)
  // A change reloads the page: a browser that stores nothing would forget the language and the sign-in.
  if (languages.length === 1 || !is_kept) return null
  return (
    <select
      className={classes.select}
      aria-label={t('ui.language-select.language')}
      value={language}
      onChange={({ currentTarget }) => void chooseLanguage(currentTarget.value)}
    >
      {languages.map(({ code, name }) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  )
}
