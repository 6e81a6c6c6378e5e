import { isId } from './ids.ts'

export interface NameSearch {
  /** The prefix of a name, with the wildcards of `like` escaped. */
  starting: string
  /** The same text as an id, if it is one. */
  id: string | null
}

/** The meaning of a list's `q` parameter: the prefix of a name, or an id. */
export const readNameSearch = (q: string): NameSearch => ({
  starting: q.replace(/[\\%_]/g, '\\$&'),
  id: isId(q) ? q : null,
})

export const any_name = { starting: null, id: null }
