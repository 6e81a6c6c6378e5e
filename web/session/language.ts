import { changeLanguage } from '../texts.ts'

/** Changes the language of this browser. */
export const chooseLanguage = (code: string) => changeLanguage(code)
