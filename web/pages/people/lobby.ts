/** What opens the channel of the lobby. */
export const lobby = { type: 'lobby' } as const
