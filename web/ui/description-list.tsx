import type { ReactNode } from 'react'
import classes from './description-list.module.css'

type Fact = readonly [name: string, value: ReactNode]

/** What is known of a thing, name beside value. */
export const DescriptionList = ({ items }: { items: readonly Fact[] }) => (
  <dl className={classes.facts}>
    {items.map(([name, value]) => (
      <div key={name} className={classes.fact}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A few numbers that are worth a look at once. */
export const Statistics = ({ items }: { items: readonly Fact[] }) => (
  <dl className={classes.figures}>
    {items.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
