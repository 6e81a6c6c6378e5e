import { Button, VisuallyHidden, type ButtonProps } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Icon } from './icon.tsx'
import { t } from '../texts.ts'

/** Copies a text to the clipboard and announces it. `what` names the text in the accessible label. */
export function CopyButton({
  text,
  what,
  label = t('ui.copy-button.copy'),
  ...rest
}: { text: string; what: string; label?: string } & ButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2500 })
  const button_label = copied ? t('ui.copy-button.copied') : error ? t('ui.copy-button.select-it-and-copy') : label
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
      <VisuallyHidden role="status">{copied && t('ui.copy-button.copied-2', { what })}</VisuallyHidden>
    </>
  )
}
