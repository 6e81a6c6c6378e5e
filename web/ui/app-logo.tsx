import { Avatar, type AvatarProps } from '@mantine/core'
import { useState } from 'react'
import classes from './app-logo.module.css'

interface AppLogoProps extends Pick<AvatarProps, 'size'> {
  /** The app's id, or its client_id. */
  app: string
  name: string
  logo_url: string | null
}

/**
 * The logo of an app; its initials while it loads and without one. The image comes from our server, never from the app's,
 * which would learn who looks at it.
 */
export function AppLogo({ app, name, logo_url, size = 'md' }: AppLogoProps) {
  const [loaded, setLoaded] = useState<string>()
  const src = logo_url ? `/logos/${app}?${versionOf(logo_url)}` : undefined
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

/** A hash of the logo's URL: a changed logo is not served from the browser's cache. */
const versionOf = (text: string) =>
  [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0, 7).toString(36)
