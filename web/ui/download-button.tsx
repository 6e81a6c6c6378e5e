import { Button, Group, type ButtonProps } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { FailureNote } from './failure-note.tsx'
import { Icon } from './icon.tsx'
import { notify } from './notify.tsx'
import { t } from '../texts.ts'

interface DownloadButtonProps extends Pick<ButtonProps, 'size' | 'disabled'> {
  label: string
  /** Saves the file, for example with `downloadFile`. An error is shown next to the button. */
  save: () => Promise<void>
  /** The notification after the file is saved. */
  done: string
}

export function DownloadButton({ label, save, done, ...rest }: DownloadButtonProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: save, onSuccess: () => notify(done) })
  return (
    <Group gap="xs">
      <FailureNote error={error} />
      <Button
        variant="default"
        leftSection={<Icon name="download" size={15} />}
        onClick={() => mutate()}
        loading={isPending}
        {...rest}
      >
        {label}
      </Button>
    </Group>
  )
}

/** Saves everything that matches a list's filter as CSV. */
export const CsvButton = (props: Omit<DownloadButtonProps, 'label'>) => (
  <DownloadButton size="xs" label={t('common.export-as-csv')} {...props} />
)
