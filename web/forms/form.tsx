import { Button, Group, Stack, Text, type ButtonProps, type StackProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../texts.ts'
import { Modal } from '../ui/dialog.tsx'
import { FailureNote } from '../ui/failure-note.tsx'

interface FormProps extends Pick<StackProps, 'maw' | 'mt' | 'gap'> {
  /** The result of `useContractForm`. */
  form: { props: object; busy: boolean; failure: unknown }
  /** Above the error. */
  intro?: ReactNode
  /** The fields. */
  children?: ReactNode
  /** The label of the submit button: a verb. */
  action: string
  /** The look of that button. */
  button?: ButtonProps
  /** The keys that submit the form, shown in a wide dialog. */
  keys?: ReactNode
  /** Further buttons. */
  buttons?: ReactNode
  /** Below the buttons. */
  note?: ReactNode
  /** In a dialog: adds a button that closes it. */
  onCancel?: () => void
  /** The label of that button. */
  cancel?: string
}

/** The form of an endpoint: its error, its fields and the submit button. */
export function Form(options: FormProps) {
  const { form, intro, children, action, button, keys, buttons, note, onCancel, cancel, ...layout } = options
  const { props, busy, failure } = form
  return (
    <form {...props}>
      <Stack {...layout}>
        {intro}
        <FailureNote error={failure} />
        {children}
        <Group gap="xs" justify={onCancel ? 'flex-end' : 'flex-start'}>
          {keys && (
            <Text size="xs" c="dimmed" visibleFrom="sm" mr="auto">
              {keys}
            </Text>
          )}
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {cancel ?? t('common.cancel')}
            </Button>
          )}
          <Button type="submit" loading={busy} {...button}>
            {action}
          </Button>
          {buttons}
        </Group>
        {note}
      </Stack>
    </form>
  )
}

interface FormDialogProps extends FormProps {
  title: ReactNode
  form: FormProps['form'] & { form: { isDirty: () => boolean } }
  onClose: () => void
}

/** A form in a dialog. It asks before closing with unsaved input, and stays open while the form is sent. */
export const FormDialog = ({ title, onClose, ...props }: FormDialogProps) => (
  <Modal opened onClose={onClose} title={title} dirty={props.form.form.isDirty()} busy={props.form.busy}>
    <Form {...props} onCancel={onClose} />
  </Modal>
)
