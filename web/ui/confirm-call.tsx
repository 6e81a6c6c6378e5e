import { Button, type ButtonProps } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { Declaration } from '../../contract/endpoint.ts'
import type { AnswerOf, InputOf } from '../api/call.ts'
import { useApiMutation, type Caller } from '../api/hooks.ts'
import { useMay } from '../session/rights.tsx'
import { Confirm } from './confirm.tsx'
import { notify } from './notify.tsx'

interface ConfirmCallProps<D extends Declaration> {
  opened?: boolean
  as?: Caller | undefined
  endpoint: D
  input: InputOf<D>[0]
  /** The reads to repeat after the call. */
  invalidates: readonly Declaration[]
  /** The notification after success. */
  done?: (answer: AnswerOf<D>) => ReactNode
  onDone?: (answer: AnswerOf<D>) => void
  onClose: () => void
  title: ReactNode
  /** The label of the confirm button: a verb. */
  action: string
  color?: string
  /** The consequences. */
  children: ReactNode
}

/** Asks for confirmation, then makes the call; closes the dialog on success and shows a failure. */
export function ConfirmCall<D extends Declaration>(props: ConfirmCallProps<D>) {
  const { opened = true, as, endpoint, input, invalidates, done, onDone, onClose, ...question } = props
  const call = useApiMutation(endpoint, {
    as,
    invalidates,
    onDone: (answer) => {
      onClose()
      if (done) notify(done(answer))
      onDone?.(answer)
    },
  })
  return (
    <Confirm
      {...question}
      opened={opened}
      onClose={onClose}
      onConfirm={() => call.mutate(input)}
      busy={call.isPending}
      error={call.error}
    />
  )
}

type ConfirmButtonProps<D extends Declaration> = Omit<ConfirmCallProps<D>, 'opened' | 'onClose'> & {
  label: string
  button?: ButtonProps & { 'aria-label'?: string }
}

export function ConfirmButton<D extends Declaration>({ label, button, ...call }: ConfirmButtonProps<D>) {
  const [asking, setAsking] = useState(false)
  if (!useMay(call.endpoint)) return null
  return (
    <>
      <Button size="compact-sm" variant="default" {...button} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <ConfirmCall {...(call as ConfirmCallProps<D>)} opened={asking} onClose={() => setAsking(false)} />
    </>
  )
}
