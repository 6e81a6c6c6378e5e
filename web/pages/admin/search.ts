import { t } from '../../texts.ts'

/** The value if it is one of `words`, else undefined. */
export const knownValue = <Word extends string>(words: readonly Word[], value: string | undefined): Word | undefined =>
  words.find((word) => word === value)

const uuid_pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isId = (text: string) => uuid_pattern.test(text.trim())

/** The error of an optional id field. */
export const idError = (value: string | undefined) =>
  value === undefined || value.trim() === '' || isId(value) ? undefined : t('admin.search.an-id-has-36-characters-such')
