import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { download } from '../../ui/download.ts'
import { Icon } from '../../ui/icon.tsx'
import { SavedSecret } from './saved-secret.tsx'
import { t } from '../../texts.ts'

interface NewSecretProps {
  client_id: string
  client_secret: string
  next_label: string
  onNext: () => void
}

const envFile = (client_id: string, client_secret: string) =>
  `PLAZA_URL=${location.origin}\nCLIENT_ID=${client_id}\nCLIENT_SECRET=${client_secret}\n`

/** Shows a client secret once. Leaving asks for confirmation until the user has confirmed that it is saved. */
export function NewSecret({ client_id, client_secret, next_label, onNext }: NewSecretProps) {
  const [saved, setSaved] = useState(false)
  const blocker = useBlocker({ shouldBlockFn: () => !saved, enableBeforeUnload: () => !saved, withResolver: true })
  return (
    <>
      <SavedSecret
        about={t('build.new-secret.it-is-shown-this-once-plaza')}
        values={{ [t('common.client-id')]: client_id, [t('common.client-secret')]: client_secret }}
        note={t('build.new-secret.the-secret-belongs-on-your-server')}
        action={
          <Button
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            onClick={() => download('plaza.env', envFile(client_id, client_secret))}
          >
            {t('build.new-secret.download-as-env')}
          </Button>
        }
        next_label={next_label}
        onSaved={setSaved}
        onNext={onNext}
      />
      <Confirm
        opened={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title={t('build.new-secret.leave-without-the-secret')}
        action={t('common.leave')}
        onConfirm={() => blocker.proceed?.()}
      >
        {t('build.new-secret.you-have-not-said-that-it')}
      </Confirm>
    </>
  )
}
