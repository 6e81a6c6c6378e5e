import { isId } from '../../../contract/schema.ts'
import { t } from '../../texts.ts'

/** The value if it is one of `words`, else undefined. */
export const knownValue = <Word extends string>(words: readonly Word[], value: string | undefined): Word | undefined =>
  words.find((word) => word === value)

/** The error of an optional id field. */
export const idError = (value: string | undefined) =>
  value === undefined || value.trim() === '' || isId(value.trim())
    ? undefined
    : t('admin.search.an-id-has-36-characters-such')
