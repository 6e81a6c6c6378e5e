import type { ReactNode } from 'react'
import classes from './description-list.module.css'

type Item = readonly [name: string, value: ReactNode]
/** False items are omitted. */
export type Items = readonly (Item | false)[]

const shown = (items: Items) => items.filter((item) => item !== false)

/** Names and values, side by side. */
export const DescriptionList = ({ items }: { items: Items }) => (
  <dl className={classes.facts}>
    {shown(items).map(([name, value]) => (
      <div key={name} className={classes.fact}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

export const Statistics = ({ items }: { items: Items }) => (
  <dl className={classes.figures}>
    {shown(items).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
