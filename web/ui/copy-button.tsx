import { Button, VisuallyHidden, type ButtonProps } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Icon } from './icon.tsx'

/** Copies a text to the clipboard and announces it. `what` names the text in the accessible label. */
export function CopyButton({
  text,
  what,
  label = 'Copy',
  ...rest
}: { text: string; what: string; label?: string } & ButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2500 })
  const button_label = copied ? 'Copied' : error ? 'Select it and copy' : label
  return (
    <>
      <Button
        variant="default"
        size="xs"
        {...rest}
        leftSection={<Icon name={copied ? 'check' : 'copy'} size={15} />}
        onClick={() => copy(text)}
        aria-label={`${button_label} ${what}`}
      >
        {button_label}
      </Button>
      <VisuallyHidden role="status">{copied && `Copied ${what}`}</VisuallyHidden>
    </>
  )
}
