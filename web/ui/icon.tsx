/** SVG paths in a 24 × 24 view box. */
const strokes = {
  home: 'M3 11.5 12 4l9 7.5M5.5 9.5V20h13V9.5M10 20v-5.5h4V20',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0',
  users:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14a6.5 6.5 0 0 1 3.5 6',
  coins:
    'M9 13c3.3 0 6-1.3 6-3s-2.7-3-6-3-6 1.3-6 3 2.7 3 6 3ZM3 10v6c0 1.7 2.7 3 6 3s6-1.3 6-3v-6M15 12.9c3.3 0 6-1.2 6-2.9s-2.7-3-6-3M15 18.9c3.3 0 6-1.2 6-2.9v-6',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c5 5.5 5 12.5 0 18M12 3c-5 5.5-5 12.5 0 18',
  robot: 'M5 9h14v10H5zM12 9V5M12 4.5v.01M9 13.5v.01M15 13.5v.01M9.5 16.5h5M2.5 12.5v3M21.5 12.5v3',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0V8ZM12 17v4',
  key: 'M8 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12.5 12H21v3.5M17 12v3',
  shield: 'M12 3.5 5 6v5.5c0 4.3 2.9 7.4 7 9 4.1-1.6 7-4.7 7-9V6l-7-2.5ZM9 12l2.2 2.2L15.2 10',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  app: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  play: 'M7 4.5v15l12-7.5-12-7.5Z',
  chart: 'M4 20h16M6.5 16v-5M12 16V5M17.5 16V9',
  box: 'M12 3 4 7.2v9.6L12 21l8-4.2V7.2L12 3ZM4.3 7.3 12 11.4l7.7-4.1M12 11.4V21',
  chat: 'M4 5h16v11H10.5L6 20v-4H4V5Z',
  book: 'M12 6.5C10 5 7 4.5 4 4.5v14c3 0 6 .5 8 2 2-1.5 5-2 8-2v-14c-3 0-6 .5-8 2ZM12 6.5v14',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15L6 16ZM10 20.5h4',
  queue: 'M4 6h16M4 12h16M4 18h9',
  flag: 'M6 21V4h11l-2 4 2 4H6',
  tag: 'M4 4h8l8 8-8 8-8-8V4ZM8.5 8.5h.01',
  megaphone: 'M4 10v4h3l8 4.5v-13L7 10H4ZM18 9.5a4 4 0 0 1 0 5M8 14.5V19',
  scale: 'M12 4v16M7 20h10M5 7h14M5 7l-2.5 6h5L5 7ZM19 7l-2.5 6h5L19 7Z',
  scroll: 'M6 4h12v16H6zM9 8.5h6M9 12h6M9 15.5h4',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20.5 20.5',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z',
  screen: 'M3.5 5h17v11h-17zM9 20h6M12 16v4',
  share: 'M12 15V4M8 7.5 12 3.5l4 4M6.5 11H5v9.5h14V11h-1.5',
  out: 'M14 4H5v16h9M10 12h11M17.5 8.5 21 12l-3.5 3.5',
  check: 'M4.5 12.5 9.5 17.5 19.5 7',
  cross: 'M6 6l12 12M18 6 6 18',
  alert: 'M12 4 2.5 20h19L12 4ZM12 10v4.5M12 17.3v.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5.5M12 7.7v.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  download: 'M12 4v11M7.5 11 12 15.5 16.5 11M4.5 20h15',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4.5 7h15M9 7V4.5h6V7M6.5 7l1 13h9l1-13M10.5 11v5M13.5 11v5',
  refresh: 'M20 11a8 8 0 0 0-14.5-3.5L4 9M4 4v5h5M4 13a8 8 0 0 0 14.5 3.5L20 15M20 20v-5h-5',
  right: 'M9 5l7 7-7 7',
  left: 'M15 5l-7 7 7 7',
  link: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  mail: 'M3.5 5.5h17v13h-17zM4 6.5l8 6.5 8-6.5',
  gauge: 'M4 18a8.5 8.5 0 1 1 16 0M12 14l4-5',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  down: 'M5 9l7 7 7-7',
  send: 'M4 12 20 4l-5 16-4-7-7-1ZM11 13l9-9',
  dots: 'M5.9 12a.9.9 0 1 1-1.8 0 .9.9 0 0 1 1.8 0ZM12.9 12a.9.9 0 1 1-1.8 0 .9.9 0 0 1 1.8 0ZM19.9 12a.9.9 0 1 1-1.8 0 .9.9 0 0 1 1.8 0Z',
  ban: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM5.7 5.7l12.6 12.6',
  pencil: 'M4 20l1-4.5L16.5 4 20 7.5 8.5 19 4 20ZM14 6.5 17.5 10',
} as const

export type IconName = keyof typeof strokes

export const icon_names = Object.keys(strokes) as IconName[]

/** A decorative icon: hidden from screen readers, so the text next to it must be complete. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.7}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={strokes[name]} />
  </svg>
)
