import { isId } from './ids.ts'

export interface NameSearch {
  /** The beginning of a name, with the wildcards of `like` escaped. */
  starting: string
  /** The same as an id, where it is one. */
  id: string | null
}

/** The meaning of `q` of a list: the beginning of a name, or an id. */
export const readNameSearch = (q: string): NameSearch => ({
  starting: q.replace(/[\\%_]/g, '\\$&'),
  id: isId(q) ? q : null,
})

export const any_name = { starting: null, id: null }
