import { LRUCache } from 'lru-cache'
import { canDraw, drawCard } from '../platform/pictures/card.ts'
import { openTurns } from '../platform/in-turn.ts'
import { consoleText } from '../platform/texts.ts'
import type { Invitation } from '../points/rewards.service.ts'

export interface Previewed {
  path: string
  /** The referral code of `/register`. */
  ref?: string | undefined
  /** English if null. */
  language: string | null
}

export interface PreviewsDeps {
  public_url: string
  findInvitation(code: string): Promise<Invitation | undefined>
  isStaffName(name: string): boolean
}

export type Previews = ReturnType<typeof openPreviews>

const pictures_max = 200
const drawings_waiting_max = 8

/** Pages with texts for people who do not know Plaza. */
const texts: ReadonlyMap<string, readonly [title: string, about: string]> = new Map([
  ['/', ['preview.home.title', 'preview.home.about']],
  ['/register', ['preview.register.title', 'preview.register.about']],
  ['/directory', ['preview.directory.title', 'preview.directory.about']],
  ['/status', ['preview.status.title', 'preview.status.about']],
  ['/docs', ['preview.docs.title', 'preview.docs.about']],
])

/**
 * The tags and pictures that other services show for links to pages (D-164). Pictures are drawn once and cached by
 * their words.
 */
export function openPreviews({ public_url, findInvitation, isStaffName }: PreviewsDeps) {
  const pictures = new LRUCache<string, Promise<Buffer>>({ max: pictures_max })
  const inTurn = openTurns(drawings_waiting_max)

  async function wordsOf({ path, ref, language }: Previewed) {
    const known = texts.get(path) ?? texts.get('/')!
    // The page is shown without the invitation if the database does not respond.
    const invitation = path === '/register' && ref ? await findInvitation(ref).catch(() => undefined) : undefined
    if (!invitation) return { title: consoleText(language, known[0], {}), text: consoleText(language, known[1], {}) }
    const { username, display_name, reward, signup_points } = invitation
    const name = display_name !== null && canDraw(display_name) ? display_name : username
    return {
      title: consoleText(language, 'preview.invitation.title', { name }),
      text: consoleText(language, 'preview.invitation.about', { reward, signup_points }),
    }
  }

  const { host } = new URL(public_url)

  /** The name in the address of a person's page. The account is not read: only signed-in people see it (D-165). */
  function personAt(url_path: string) {
    const [, name] = /^\/u\/([\w.-]{1,32})\/?$/.exec(url_path) ?? []
    return name === undefined || isStaffName(name) ? undefined : name
  }

  return {
    /** The head of a page at `url_path`; `title` is the tab's title, for a page without a preview text. */
    async headOf(page: Previewed, { title, url_path }: { title: string | undefined; url_path: string }) {
      const words = await wordsOf(page)
      const { path, ref, language } = page
      const query = new URLSearchParams({
        path: texts.has(path) ? path : '/',
        ...(ref && { ref }),
        ...(language && { language }),
      })
      return {
        title:
          texts.has(path) || title === undefined
            ? words.title
            : `${personAt(url_path) ?? consoleText(language, title, {})} · Plaza`,
        description: words.text,
        url: `${public_url}${url_path}${ref ? `?${new URLSearchParams({ ref }).toString()}` : ''}`,
        picture: `${public_url}/preview.png?${query.toString()}`,
      }
    },
    /** The picture of a page. Fails with `overloaded` if too many wait to be drawn. */
    async pictureOf(page: Previewed) {
      const words = await wordsOf(page)
      const key = JSON.stringify(words)
      const picture = pictures.get(key) ?? inTurn(() => drawCard({ ...words, host }))
      pictures.set(key, picture)
      picture.catch(() => pictures.delete(key))
      return picture
    },
  }
}
