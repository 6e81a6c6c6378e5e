/** The reactions to a message, by name (D-162), in the order of the picker. */
export const reactions = {
  like: '👍',
  love: '❤️',
  laugh: '😂',
  wow: '😮',
  sad: '😢',
  thanks: '🙏',
  party: '🎉',
  fire: '🔥',
  eyes: '👀',
  clap: '👏',
  think: '🤔',
  done: '✅',
} as const

export type ReactionName = keyof typeof reactions
export const reaction_names = Object.keys(reactions) as ReactionName[]
