import { chooseLanguage } from '../session/language.ts'
import { knownLanguages, language, t } from '../texts.ts'
import classes from './language-select.module.css'

/** Changes the language. Each stands there by its own name, for those who cannot read the present one. */
export const LanguageSelect = () => {
  const languages = knownLanguages()
  if (languages.length === 1) return null
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
