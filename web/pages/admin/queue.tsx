import { Button, Group, Kbd, Paper, Text, UnstyledButton } from '@mantine/core'
import { useHotkeys, useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import classes from './queue.module.css'

/** Something that can be decided about an entry, by its button or its key. */
export interface Decision<Row> {
  key: string
  label: string
  tone?: 'primary' | 'danger'
  allowed: (row: Row) => boolean
  run: (row: Row) => void
}

interface QueueProps<Row> {
  name: string
  rows: readonly Row[]
  line: (row: Row) => ReactNode
  detail: (row: Row) => ReactNode
  decisions: readonly Decision<Row>[]
  /** A dialog is open or a decision is on its way: keys do nothing. */
  busy: boolean
  foot?: ReactNode
}

/** A list to work off: one entry is in front, the keys move through the list and decide. */
export function Queue<Row extends { id: string }>(props: QueueProps<Row>) {
  const { name, rows, line, detail, decisions, busy, foot } = props
  const [at, setAt] = useState(0)
  const here = Math.min(at, rows.length - 1)
  const row = rows[here]
  const list = useRef<HTMLDivElement>(null)
  const wide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  const move = (by: number) => !busy && setAt(Math.max(0, Math.min(rows.length - 1, here + by)))
  const decide = (decision: Decision<Row>) => () => {
    if (!busy && row && decision.allowed(row)) decision.run(row)
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    // A key that is held down decides once: the next entry takes this one's place.
    ...decisions.map((decision): [string, (event: KeyboardEvent) => void] => [
      decision.key,
      ({ repeat }) => !repeat && decide(decision)(),
    ]),
  ])
  useEffect(() => {
    list.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' })
  }, [here])
  const front = row && (
    <Front row={row} decisions={decisions} busy={busy} decide={decide}>
      {detail(row)}
    </Front>
  )
  return (
    <>
      <KeyHints decisions={decisions} />
      <div className={classes.queue}>
        <div ref={list} role="list" aria-label={name} className={classes.list}>
          {rows.map((entry, index) => (
            <div key={entry.id} role="listitem" className={classes.item}>
              <UnstyledButton
                className={classes.entry}
                aria-current={index === here ? 'true' : undefined}
                onClick={() => setAt(index)}
              >
                {line(entry)}
              </UnstyledButton>
              {!wide && index === here && front}
            </div>
          ))}
          {foot}
        </div>
        {wide && <div className={classes.front}>{front}</div>}
      </div>
    </>
  )
}

interface FrontProps<Row> extends Pick<QueueProps<Row>, 'decisions' | 'busy'> {
  row: Row
  decide: (decision: Decision<Row>) => () => void
  children: ReactNode
}

/** The entry in front, with what can be decided about it. */
const Front = <Row,>({ row, decisions, busy, decide, children }: FrontProps<Row>) => (
  <Paper withBorder p={{ base: 'md', sm: 'lg' }} bg="var(--plaza-card)" component="section" aria-label="In front">
    {children}
    <Group gap="xs" mt="lg">
      {decisions
        .filter(({ allowed }) => allowed(row))
        .map((decision) => (
          <Button
            key={decision.key}
            size="sm"
            variant={decision.tone === 'primary' ? 'filled' : 'default'}
            {...(decision.tone === 'danger' && { c: 'red' })}
            onClick={decide(decision)}
            disabled={busy}
            rightSection={
              <Kbd size="xs" visibleFrom="sm" aria-hidden>
                {decision.key.toUpperCase()}
              </Kbd>
            }
          >
            {decision.label}
          </Button>
        ))}
    </Group>
  </Paper>
)

const KeyHints = <Row,>({ decisions }: { decisions: readonly Decision<Row>[] }) => (
  <Group gap="md" mb="sm" visibleFrom="sm" role="note" aria-label="Keys">
    <Text size="xs" c="dimmed">
      <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> move
    </Text>
    {decisions.map(({ key, label }) => (
      <Text key={key} size="xs" c="dimmed">
        <Kbd size="xs">{key.toUpperCase()}</Kbd> {label.toLowerCase().replace('…', '')}
      </Text>
    ))}
  </Group>
)
