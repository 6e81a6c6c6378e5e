import type { ReactNode } from 'react'

/** A medal on a ribbon in the colours of a metal: rim, face, and the number on it. */
const Medal = ({ rim, face, place }: { rim: string; face: string; place: string }) => (
  <>
    <path d="M8 2h5l2 6-3.5 2L8 2Z" fill="#2f6fb3" />
    <path d="M16 2h-5L9 8l3.5 2L16 2Z" fill="#4a8fd6" />
    <circle cx="12" cy="15" r="7" fill={rim} />
    <circle cx="12" cy="15" r="5.4" fill={face} />
    <path d={place} fill="none" stroke={rim} strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
  </>
)

/**
 * Drawn here, because a machine may have no emoji font. The names are those of the default tiers and of other common
 * ones.
 */
const drawings: Record<string, ReactNode> = {
  '🥉': <Medal rim="#8a4f24" face="#e0a070" place="M10.4 12.9h3l-1.6 1.7a1.6 1.6 0 1 1-1.6 2" />,
  '🥈': <Medal rim="#6b7580" face="#dce2e8" place="M10.4 13.3a1.7 1.7 0 0 1 3.2.8c0 1.3-3.2 2.2-3.2 3.3h3.3" />,
  '🥇': <Medal rim="#a8740a" face="#f8d057" place="M10.8 13.4 12.3 12.6v4.9" />,
  '🏆': (
    <>
      <path
        d="M7 5H4v2a4 4 0 0 0 4 4M17 5h3v2a4 4 0 0 1-4 4"
        fill="none"
        stroke="#a8740a"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
      <path d="M7 3h10v6a5 5 0 0 1-10 0V3Z" fill="#f2b92e" />
      <path d="M11 13h2v4h3v3H8v-3h3v-4Z" fill="#a8740a" />
    </>
  ),
  '💎': (
    <>
      <path d="M6 4h12l4 6-10 11L2 10l4-6Z" fill="#58b7e8" />
      <path d="M6 4h12l4 6H2l4-6Z" fill="#a5dcf7" />
      <path d="M8 10h8l-4 11-4-11Z" fill="#2f94cf" />
    </>
  ),
  '⭐': (
    <path d="m12 2.5 2.9 6.2 6.6.8-4.9 4.6 1.3 6.7L12 17.5l-5.9 3.3 1.3-6.7L2.5 9.5l6.6-.8L12 2.5Z" fill="#f2b92e" />
  ),
  '👑': (
    <>
      <path d="M3 7l4.5 4L12 4l4.5 7L21 7l-1.5 11h-15L3 7Z" fill="#f2b92e" />
      <path d="M4.5 18h15v2.5h-15z" fill="#a8740a" />
    </>
  ),
}

/** The name of a tier, which is stored in lower case. */
export const TierName = ({ tier }: { tier: string }) => <span style={{ textTransform: 'capitalize' }}>{tier}</span>

/**
 * The sign of a tier next to its name, which screen readers read. Custom signs of an installation are shown as text.
 */
export function TierMark({ sign, size = '1.1em' }: { sign: string; size?: string }) {
  // Emoji may have a presentation selector.
  const drawing = drawings[sign.replace('\uFE0F', '')]
  return (
    <span aria-hidden="true">
      {drawing ? (
        <svg viewBox="0 0 24 24" style={{ width: size, height: size, verticalAlign: '-0.15em' }} focusable="false">
          {drawing}
        </svg>
      ) : (
        sign
      )}
    </span>
  )
}
