import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { t } from '../texts.ts'
import { FailureNote } from './failure-note.tsx'
import { notify } from './notify.tsx'

/** Twice the stored size, for better scaling. */
const side = 512

type Fit = 'cover' | 'contain'

/** A picture file as a square, as a `data:` address; undefined if the browser cannot read the file. */
async function squareOf(file: File, fit: Fit) {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = side
  const { width, height } = picture
  const scale = side / (fit === 'cover' ? Math.min(width, height) : Math.max(width, height))
  const [wide, high] = [width * scale, height * scale]
  canvas.getContext('2d')!.drawImage(picture, (side - wide) / 2, (side - high) / 2, wide, high)
  return canvas.toDataURL('image/webp', 0.9)
}

interface PictureChoiceProps {
  /** `cover` keeps the middle of the picture, `contain` all of it. */
  fit: Fit
  has_picture: boolean
  /** Saves a picture in base64. */
  save: (picture: string) => Promise<unknown>
  remove: () => Promise<unknown>
  about: string
  /** The picture as others see it; `preview` is the chosen file before it is saved. */
  children: (preview: string | undefined) => ReactNode
}

/** Chooses a picture, shows it as others will see it, and saves or removes it. */
export function PictureChoice({ fit, has_picture, save, remove, about, children }: PictureChoiceProps) {
  const [chosen, setChosen] = useState<string>()
  const [is_unreadable, setUnreadable] = useState(false)
  const choose = async (file: File | null) => {
    if (!file) return
    const square = await squareOf(file, fit)
    setChosen(square)
    setUnreadable(square === undefined)
  }
  const change = useMutation({
    mutationFn: (picture: string | null) => (picture === null ? remove() : save(picture.replace(/^[^,]*,/, ''))),
    onSuccess: (_answer, picture) => {
      setChosen(undefined)
      notify(picture === null ? t('ui.picture-choice.removed') : t('ui.picture-choice.saved'))
    },
  })
  return (
    <Group gap="lg">
      {children(chosen)}
      <Stack gap="xs">
        <Group gap="xs">
          {chosen === undefined ? (
            <FileButton accept="image/png,image/jpeg,image/webp" onChange={(file) => void choose(file)}>
              {(props) => (
                <Button variant="default" {...props}>
                  {t('ui.picture-choice.choose')}
                </Button>
              )}
            </FileButton>
          ) : (
            <>
              <Button loading={change.isPending} onClick={() => change.mutate(chosen)}>
                {t('ui.picture-choice.save')}
              </Button>
              <Button variant="default" onClick={() => setChosen(undefined)}>
                {t('common.cancel')}
              </Button>
            </>
          )}
          {chosen === undefined && has_picture && (
            <Button variant="subtle" color="red" loading={change.isPending} onClick={() => change.mutate(null)}>
              {t('ui.picture-choice.remove')}
            </Button>
          )}
        </Group>
        <Text size="sm" c={is_unreadable ? 'red' : 'dimmed'} role={is_unreadable ? 'alert' : undefined}>
          {is_unreadable ? t('ui.picture-choice.unreadable') : about}
        </Text>
        <FailureNote error={change.error} />
      </Stack>
    </Group>
  )
}
