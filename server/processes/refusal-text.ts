/** The reason why a start or a command is refused. */
export const refusalText = (attempt: 'start' | 'do this', { message }: Error) => `Plaza cannot ${attempt}. ${message}\n`
