import { useState } from 'react'
import { isStorageKept } from '../storage.ts'
import { knownLanguages, language, t } from '../texts.ts'
import classes from './language-select.module.css'
import { chooseLanguage } from './preferences.ts'

/** Changes the language. Each language is listed by its own name, for people who cannot read the current one. */
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
