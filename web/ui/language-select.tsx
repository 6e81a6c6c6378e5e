import { useState } from 'react'
import { chooseLanguage } from '../session/language.ts'
import { isStorageKept } from '../storage.ts'
import { knownLanguages, language, t } from '../texts.ts'
import classes from './language-select.module.css'

/** Changes the language. Each stands there by its own name, for those who cannot read the present one. */
export const LanguageSelect = () => {
  const languages = knownLanguages()
  const [is_kept] = useState(isStorageKept)
  // Another language is read anew: a browser that keeps nothing would forget it, and the sign-in.
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
