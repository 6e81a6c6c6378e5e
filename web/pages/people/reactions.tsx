import { UnstyledButton } from '@mantine/core'
import { reaction_names, reactions, type ReactionName } from '../../../contract/kinds/reactions.ts'
import { MenuItem } from '../../ui/menu-item.tsx'
import type { Message } from './channel-messages.ts'
import classes from './chat.module.css'
import { t } from '../../texts.ts'

const names: Readonly<Record<ReactionName, () => string>> = {
  like: () => t('people.reactions.like'),
  love: () => t('people.reactions.love'),
  laugh: () => t('people.reactions.laugh'),
  wow: () => t('people.reactions.wow'),
  sad: () => t('people.reactions.sad'),
  thanks: () => t('people.reactions.thanks'),
  party: () => t('people.reactions.party'),
  fire: () => t('people.reactions.fire'),
  eyes: () => t('people.reactions.eyes'),
  clap: () => t('people.reactions.clap'),
  think: () => t('people.reactions.think'),
  done: () => t('people.reactions.done'),
}

interface ReactionsProps {
  message: Message
  /** Undefined if the person cannot react. */
  onReact: ((name: ReactionName, is_on: boolean) => void) | undefined
}

/** The reactions to a message; a press adds or removes the person's own. */
export const ReactionCounts = ({ message: { reactions: counts, my_reactions }, onReact }: ReactionsProps) =>
  counts.length > 0 && (
    <div className={classes.reactions}>
      {counts.map(({ name, count }) => {
        const is_mine = my_reactions.includes(name)
        return (
          <UnstyledButton
            key={name}
            className={classes.reaction}
            aria-pressed={is_mine}
            disabled={!onReact}
            title={names[name]()}
            aria-label={t('people.reactions.count', { name: names[name](), count })}
            onClick={() => onReact?.(name, !is_mine)}
          >
            <span aria-hidden>{reactions[name]}</span> {count}
          </UnstyledButton>
        )
      })}
    </div>
  )

/** The reactions as items of a menu. */
export const ReactionItems = ({ message: { my_reactions }, onReact }: ReactionsProps) =>
  onReact && (
    <div className={classes.picker} role="group" aria-label={t('people.reactions.react')}>
      {reaction_names.map((name) => {
        const is_mine = my_reactions.includes(name)
        return (
          <MenuItem
            key={name}
            className={is_mine ? `${classes.pick} ${classes.picked}` : classes.pick}
            aria-label={is_mine ? t('people.reactions.take-back', { name: names[name]() }) : names[name]()}
            onClick={() => onReact(name, !is_mine)}
          >
            {reactions[name]}
          </MenuItem>
        )
      })}
    </div>
  )
