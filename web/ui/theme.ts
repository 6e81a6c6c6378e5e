import { header_height } from './header.tsx'
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { t } from '../texts.ts'

/** The greens of the logo; 6 and 7 are backgrounds for white text, 3 is for text on dark backgrounds. */
const plaza: MantineColorsTuple = [
  '#eef7f2',
  '#dcece4',
  '#b7d9c8',
  '#7cd0ab',
  '#55b78d',
  '#35986f',
  '#267d5a',
  '#1f6b4f',
  '#17543e',
  '#0f3d2d',
]
/** Warm near-blacks with a slight green tint. */
const dark: MantineColorsTuple = [
  '#e6ebe8',
  '#c3ccc7',
  '#a6b2ab',
  '#71807a',
  '#3c4742',
  '#2c3531',
  '#222a26',
  '#1a201d',
  '#141917',
  '#0f1311',
]
const gray: MantineColorsTuple = [
  '#f7f8f6',
  '#f0f2ef',
  '#e3e7e2',
  '#d3d9d2',
  '#b9c1b9',
  '#8f9a91',
  '#5f6a62',
  '#48534c',
  '#2f3833',
  '#1b211d',
]

/** From 6 on, backgrounds for white text. */
const red: MantineColorsTuple = [
  '#fdf1ef',
  '#fae0dc',
  '#f4beb6',
  '#ffb4a4',
  '#e57362',
  '#d65442',
  '#c13e2c',
  '#a4301f',
  '#872619',
  '#611b12',
]

/** Ambers for pending states. The last is text on the first ones. */
const yellow: MantineColorsTuple = [
  '#fdf6e3',
  '#faebc4',
  '#f3d88c',
  '#f2c65a',
  '#dda52f',
  '#c58d18',
  '#a87410',
  '#8a5d0b',
  '#6f4a09',
  '#553806',
]

export const theme = () =>
  createTheme({
    colors: { plaza, dark, gray, red, yellow },
    primaryColor: 'plaza',
    primaryShade: { light: 7, dark: 6 },
    black: '#1b211d',
    fontFamily:
      "'Figtree Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif",
    fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
    headings: {
      fontWeight: '650',
      sizes: {
        h1: { fontSize: '1.625rem', lineHeight: '1.25' },
        h2: { fontSize: '1.1875rem', lineHeight: '1.35' },
        h3: { fontSize: '1rem', lineHeight: '1.4' },
      },
    },
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      // Static notes are not announced; errors set role="alert" themselves.
      Alert: { defaultProps: { role: 'note' } },
      Drawer: { defaultProps: { closeButtonProps: { 'aria-label': t('common.close') } } },
      Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': t('common.close') } } },
      Tooltip: { defaultProps: { withArrow: true, openDelay: 250, events: { hover: true, focus: true, touch: true } } },
      Anchor: { defaultProps: { underline: 'always' } },
      Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 550 } },
      Loader: { defaultProps: { type: 'dots' } },
    },
  })

/** Light-variant colours in the dark scheme: Mantine's are darker than the surrounding card. */
const dark_light_variants = {
  '--mantine-color-plaza-light': '#1f3b30',
  '--mantine-color-plaza-light-hover': '#26483b',
  '--mantine-color-plaza-light-color': '#a3e0c5',
  '--mantine-color-red-light': '#46231d',
  '--mantine-color-red-light-hover': '#552b24',
  '--mantine-color-red-light-color': '#ffc4b7',
  '--mantine-color-yellow-light': '#403214',
  '--mantine-color-yellow-light-hover': '#4e3d18',
  '--mantine-color-yellow-light-color': '#f5d27c',
  '--mantine-color-gray-light': '#2c3531',
  '--mantine-color-gray-light-hover': '#36403b',
  '--mantine-color-gray-light-color': '#d3dad6',
}

/** Colours of dimmed text, page, borders and the sandbox banner, with WCAG AA contrast in both schemes. */
export const variables: CSSVariablesResolver = () => ({
  variables: { '--plaza-header-height': `${header_height}px` },
  light: {
    // Mantine's is too dark for links and dimmed text on it.
    '--mantine-color-plaza-light-hover': '#cfe4d9',
    '--mantine-color-dimmed': '#566058',
    '--mantine-color-placeholder': '#6b756e',
    '--mantine-color-error': '#a4301f',
    '--mantine-color-anchor': '#1f6b4f',
    '--plaza-page': '#f5f6f3',
    '--plaza-card': '#ffffff',
    '--plaza-line': '#dde2dc',
    '--plaza-edge': '#838d85',
    '--plaza-sandbox': '#faebc4',
    '--plaza-sandbox-text': '#553806',
  },
  dark: {
    ...dark_light_variants,
    '--mantine-color-dimmed': '#a6b2ab',
    '--mantine-color-placeholder': '#8d9a93',
    '--mantine-color-red-text': '#ffb4a4',
    '--mantine-color-error': '#ffb4a4',
    '--mantine-color-anchor': '#7cd0ab',
    '--mantine-color-body': '#141917',
    '--plaza-page': '#141917',
    '--plaza-card': '#1a201d',
    '--plaza-line': '#313a36',
    '--plaza-edge': '#707c75',
    '--plaza-sandbox': '#403214',
    '--plaza-sandbox-text': '#f5d27c',
  },
})
