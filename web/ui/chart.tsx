import { Box, ColorSwatch, Group, Paper, Text } from '@mantine/core'
import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { barsPath, labelledPlaces, linePath, marksTo, stacked, type Places } from './chart.rules.ts'
import classes from './chart.module.css'

type Kind = 'steps' | 'lines' | 'stack' | 'bars'

interface Line<Row> {
  name: string
  /** A colour of the theme: `plaza.5`. */
  color: string
  /** Null if nothing was measured. */
  valueOf: (row: Row) => number | null
}

export interface ChartProps<Row> {
  /** `steps` fills the area under steps; `stack` and `bars` stack the values of a row. */
  kind: Kind
  height: number
  rows: readonly Row[]
  lines: readonly Line<Row>[]
  /** A description of the chart. Without it the chart is hidden from screen readers. */
  label?: string
  /** The label below the chart, for some of the rows. */
  tick: (row: Row) => string
  /** The label at each mark of the scale. */
  mark: (value: number) => string
  /** The upper end of the scale; by default the highest value determines it. */
  limit?: number
  /** Only whole numbers on the scale. */
  whole?: boolean
  /** The details of the row under the pointer or selected with the arrow keys. */
  detail: (row: Row) => ReactNode
}

const ticks_max = 6

const cssColor = (color: string) => `var(--mantine-color-${color.replace('.', '-')})`

/** A chart of values over time, as wide as its container. */
export function Chart<Row>({ kind, height, rows, lines, label, tick, mark, limit, whole, detail }: ChartProps<Row>) {
  const [chosen, setChosen] = useState<number>()
  const values = rows.map((row) => lines.map(({ valueOf }) => valueOf(row)))
  const drawn = kind === 'stack' || kind === 'bars' ? stacked(values) : values
  const highest = Math.max(0, ...drawn.flat().map((value) => value ?? 0))
  const marks = limit === undefined ? marksTo(highest, whole) : [0, 1, 2, 3, 4].map((part) => (part * limit) / 4)
  const top = Math.max(highest, marks.at(-1) ?? 0)
  const places: Places = {
    xOf: (at) => 100 * (kind === 'bars' ? (at + 0.5) / rows.length : at / Math.max(1, rows.length - 1)),
    yOf: (value) => 100 - (100 * value) / top,
  }
  const row = rows[chosen ?? -1]
  return (
    <Box m={0} {...figureProps(label, rows.length, chosen, setChosen)}>
      <div className={classes.chart} style={{ height }} aria-hidden="true">
        <div className={classes.marks}>
          {marks.map((value) => (
            <span key={value}>
              {mark(value)}
              <span style={{ top: `${places.yOf(value)}%` }}>{mark(value)}</span>
            </span>
          ))}
        </div>
        <div
          className={classes.plot}
          onPointerLeave={() => setChosen(undefined)}
          onPointerMove={(event) => setChosen(placeAt(event, rows.length, kind))}
        >
          <svg viewBox="0 0 100 100" preserveAspectRatio="none">
            <path className={classes.grid} d={marks.map((value) => `M0 ${places.yOf(value)}H100`).join('')} />
            {/* The upper parts of a stack are drawn behind the lower ones. */}
            {lines
              .map(({ name, color }, line) => (
                <DrawnLine
                  key={name}
                  {...{ kind, places }}
                  color={cssColor(color)}
                  values={drawn.map((one) => one[line] ?? null)}
                />
              ))
              .toReversed()}
            {row !== undefined && <path className={classes.cursor} d={`M${places.xOf(chosen ?? 0)} 0V100`} />}
          </svg>
          {row !== undefined && <Detail x={places.xOf(chosen ?? 0)}>{detail(row)}</Detail>}
          {labelledPlaces(rows.length, ticks_max).map((at) => (
            <span key={at} className={classes.tick} style={{ left: `${places.xOf(at)}%` }}>
              {tick(rows[at] as Row)}
            </span>
          ))}
        </div>
      </div>
      {lines.length > 1 && <Legend lines={lines} />}
    </Box>
  )
}

/** The props of a keyboard-accessible figure, if the chart has a label. */
function figureProps(
  label: string | undefined,
  length: number,
  chosen: number | undefined,
  choose: (at?: number) => void,
) {
  if (label === undefined) return { 'aria-hidden': true }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose(Math.min(length - 1, Math.max(0, (chosen ?? (step > 0 ? -1 : length)) + step)))
  }
  return { component: 'figure', 'aria-label': label, tabIndex: 0, onKeyDown, onBlur: () => choose(undefined) } as const
}

function placeAt({ currentTarget, clientX }: PointerEvent, length: number, kind: Kind) {
  const { left, width } = currentTarget.getBoundingClientRect()
  const part = (clientX - left) / width
  const at = kind === 'bars' ? Math.floor(part * length) : Math.round(part * (length - 1))
  return Math.min(length - 1, Math.max(0, at))
}

function DrawnLine({
  kind,
  color,
  values,
  places,
}: {
  kind: Kind
  color: string
  values: (number | null)[]
  places: Places
}) {
  const path = kind === 'bars' ? barsPath(values, places) : linePath(values, places, kind === 'steps')
  return (
    <>
      {kind !== 'lines' && (
        <path d={kind === 'bars' ? path : `${path}V100H0Z`} fill={color} fillOpacity={kind === 'steps' ? 0.2 : 1} />
      )}
      {(kind === 'lines' || kind === 'steps') && <path className={classes.line} d={path} stroke={color} />}
    </>
  )
}

/** Next to the cursor, on the side with more space. */
const Detail = ({ x, children }: { x: number; children: ReactNode }) => (
  <Paper
    withBorder
    shadow="sm"
    px="sm"
    py={6}
    fz="sm"
    className={classes.detail}
    style={x < 50 ? { left: `${x}%` } : { right: `${100 - x}%` }}
  >
    {children}
  </Paper>
)

const Legend = ({ lines }: { lines: readonly { name: string; color: string }[] }) => (
  <Group gap="md" justify="flex-end" mt={4} fz="xs" c="dimmed">
    {lines.map(({ name, color }) => (
      <Group key={name} gap={6} wrap="nowrap">
        <ColorSwatch color={cssColor(color)} size={10} withShadow={false} />
        {name}
      </Group>
    ))}
  </Group>
)

/** The details of a row: its title, and each value under the name of its line. */
export const RowDetail = ({
  title,
  values,
}: {
  title: string
  values: readonly (readonly [name: string, value: string])[]
}) => (
  <>
    <Text size="xs" c="dimmed">
      {title}
    </Text>
    {values.map(([name, value]) => (
      <Group key={name} gap="md" justify="space-between" wrap="nowrap">
        <span>{name}</span>
        <span className="number">{value}</span>
      </Group>
    ))}
  </>
)
