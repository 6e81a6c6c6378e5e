import type { ComponentProps } from 'react'
import { Section } from '../../ui/page-parts.tsx'
import { PagedListStates, type PagedList } from '../../ui/paged-list.tsx'
import classes from '../../ui/table.module.css'

export type { PagedList }

/** A paged list in its own card; its states get the padding that rows have themselves. */
export const ListCard = (props: ComponentProps<typeof PagedListStates>) => (
  <Section p={0}>
    {props.list.isPending ? (
      <div className={classes.pad}>
        <PagedListStates {...props} />
      </div>
    ) : (
      <PagedListStates {...props} />
    )}
  </Section>
)
