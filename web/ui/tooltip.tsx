import { Tooltip } from '@mantine/core'

/** The tooltip of an element, mounted when the pointer first enters it. */
export default function TooltipOf({ target, label }: { target: HTMLElement; label: string }) {
  return <Tooltip target={target} label={label} defaultOpened={target.matches(':hover')} />
}
