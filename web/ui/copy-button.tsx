import { Button, VisuallyHidden, type ButtonProps } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Icon } from './icon.tsx'

/** Puts a text on the clipboard and says so. `what` names it for who cannot see where the button stands. */
export function CopyButton({
  text,
  what,
  label = 'Copy',
  ...rest
}: { text: string; what: string; label?: string } & ButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2500 })
  const says = copied ? 'Copied' : error ? 'Select it and copy' : label
  return (
    <>
      <Button
        variant="default"
        size="xs"
        {...rest}
        leftSection={<Icon name={copied ? 'check' : 'copy'} size={15} />}
        onClick={() => copy(text)}
        aria-label={`${says} ${what}`}
      >
        {says}
      </Button>
      <VisuallyHidden role="status">{copied && `Copied ${what}`}</VisuallyHidden>
    </>
  )
}
