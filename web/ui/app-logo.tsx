import { Avatar, type AvatarProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { currentSession } from '../session/session.ts'
import classes from './app-logo.module.css'

interface AppLogoProps extends Pick<AvatarProps, 'size'> {
  /** The app's id, or its client_id. */
  app: string
  name: string
  logo_url: string | null
  /** Whether only the owner and admins may see the logo, because the app is not approved. */
  is_private?: boolean
  /** A picture to show instead, not uploaded yet. */
  preview?: string | undefined
}

/**
 * The logo of an app; its initials while it loads and without one. The image comes from our server, so that the app's
 * server does not learn who sees it.
 */
export function AppLogo({ app, name, logo_url, is_private = false, preview, size = 'md' }: AppLogoProps) {
  const [loaded, setLoaded] = useState<string>()
  const path = logo_url ? `/logos/${app}?${versionOf(logo_url)}` : undefined
  const own = useImageWithToken(is_private ? path : undefined)
  const src = preview ?? (is_private ? own : path)
  return (
    <div className={classes.logo} aria-hidden>
      <Avatar name={name} color="plaza" size={size} radius="md" />
      {src !== undefined && (
        <img
          key={src}
          src={src}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          className={`${classes.picture} ${loaded === src ? classes.shown : ''}`}
          onLoad={() => setLoaded(src)}
        />
      )}
    </div>
  )
}

/** The content of an image as a `data:` address, read with the JWT, which browsers do not send for images. */
function useImageWithToken(path: string | undefined) {
  const [image, setImage] = useState<{ path: string; content: string }>()
  useEffect(() => {
    if (path === undefined) return undefined
    const stop = new AbortController()
    readImage(path, stop.signal).then(
      (content) => setImage({ path, content }),
      // The initials stay.
      () => undefined,
    )
    return () => stop.abort()
  }, [path])
  return image?.path === path ? image?.content : undefined
}

async function readImage(path: string, signal: AbortSignal) {
  const token = currentSession()?.token
  const answer = await fetch(path, { signal, ...(token && { headers: { authorization: `Bearer ${token}` } }) })
  if (!answer.ok) throw new Error(answer.statusText)
  const image = await answer.blob()
  return new Promise<string>((done, failed) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => done(reader.result as string))
    reader.addEventListener('error', failed)
    reader.readAsDataURL(image)
  })
}

/** A hash of the logo's URL: a changed logo does not come from the browser's cache. */
const versionOf = (text: string) =>
  [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0, 7).toString(36)
