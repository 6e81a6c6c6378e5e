import type { ReactNode } from 'react'
import classes from './description-list.module.css'

type Item = readonly [name: string, value: ReactNode]
/** False is left out. */
export type Items = readonly (Item | false)[]

/** Names and values, side by side. */
export const DescriptionList = ({ items }: { items: Items }) => (
  <dl className={classes.facts}>
    {items
      .filter((item) => item !== false)
      .map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** A few key figures. */
export const Statistics = ({ items }: { items: readonly Item[] }) => (
  <dl className={classes.figures}>
    {items.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
