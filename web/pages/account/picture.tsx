import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { me } from '../../../contract/accounts.ts'
import { removePicture, setPicture } from '../../../contract/profiles.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { PersonAvatar, type Look } from '../../ui/person.tsx'
import { t } from '../../texts.ts'

/** Twice the size that is kept, for the quality of its scaling. */
const side = 512

/** The middle of a picture file as a square, as a `data:` address; undefined where the browser cannot read the file. */
async function squareOf(file: File) {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = side
  const cut = Math.min(picture.width, picture.height)
  const [left, top] = [(picture.width - cut) / 2, (picture.height - cut) / 2]
  canvas.getContext('2d')!.drawImage(picture, left, top, cut, cut, 0, 0, side, side)
  return canvas.toDataURL('image/webp', 0.9)
}

/** Chooses a picture, shows it as others will see it, and saves or removes it. */
export function Picture({ user }: { user: Look }) {
  const [chosen, setChosen] = useState<string>()
  const [is_unreadable, setUnreadable] = useState(false)
  const done = (words: string) => () => {
    setChosen(undefined)
    notify(words)
  }
  const save = useApiMutation(setPicture, { invalidates: [me], onDone: done(t('account.picture.saved')) })
  const remove = useApiMutation(removePicture, { invalidates: [me], onDone: done(t('account.picture.removed')) })
  const choose = async (file: File | null) => {
    if (!file) return
    const square = await squareOf(file)
    setChosen(square)
    setUnreadable(square === undefined)
  }
  return (
    <Group gap="lg">
      <PersonAvatar person={{ ...user, picture_url: chosen ?? user.picture_url ?? null }} size={96} />
      <Stack gap="xs">
        <Group gap="xs">
          {chosen === undefined ? (
            <FileButton accept="image/png,image/jpeg,image/webp" onChange={(file) => void choose(file)}>
              {(props) => (
                <Button variant="default" {...props}>
                  {t('account.picture.choose')}
                </Button>
              )}
            </FileButton>
          ) : (
            <>
              <Button
                loading={save.isPending}
                onClick={() => save.mutate({ body: { picture: chosen.replace(/^[^,]*,/, '') } })}
              >
                {t('account.picture.save')}
              </Button>
              <Button variant="default" onClick={() => setChosen(undefined)}>
                {t('common.cancel')}
              </Button>
            </>
          )}
          {chosen === undefined && user.picture_url && (
            <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate({})}>
              {t('account.picture.remove')}
            </Button>
          )}
        </Group>
        <Text size="sm" c={is_unreadable ? 'red' : 'dimmed'} role={is_unreadable ? 'alert' : undefined}>
          {is_unreadable ? t('account.picture.unreadable') : t('account.picture.about')}
        </Text>
        <FailureNote error={save.error ?? remove.error} />
      </Stack>
    </Group>
  )
}
