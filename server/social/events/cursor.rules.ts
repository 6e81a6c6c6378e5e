/** The position of an event: its transaction and its number. See the table `events` in the migrations. */
export interface Cursor {
  xid: number
  seq: number
}

/** A cursor as the `id` of an event. */
export const idOf = ({ xid, seq }: Cursor) => `${xid}-${seq}`

/** The cursor of an event id that the contract's pattern accepts. */
export function parseCursor(id: string): Cursor {
  const [xid, seq] = id.split('-')
  return { xid: Number(xid), seq: Number(seq) }
}

export const isAfter = (a: Cursor, b: Cursor) => a.xid > b.xid || (a.xid === b.xid && a.seq > b.seq)
