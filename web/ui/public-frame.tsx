import './mantine.css'
import { Box, Container, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Header } from './header.tsx'
import { LanguageSelect } from './language-select.tsx'
import { Link, LinkButton } from './link.tsx'
import { OfflineBanner } from './offline-banner.tsx'
import classes from './frame.module.css'
import { t } from '../texts.ts'

/** The layout of pages for visitors; `narrow` is for sign-in and consent, without links to other pages. */
export const PublicFrame = ({ narrow = false, children }: { narrow?: boolean; children: ReactNode }) => (
  <Box className={classes.public}>
    <header>
      <Header>
        {!narrow && (
          <>
            <Group gap="md" fz="sm" visibleFrom="xs">
              <a href="/docs">{t('common.documentation')}</a>
              <Link to="/directory">{t('common.directory-of-apps')}</Link>
            </Group>
            <LinkButton to="/sign-in" size="xs" variant="default">
              {t('common.sign-in')}
            </LinkButton>
          </>
        )}
      </Header>
    </header>
    <OfflineBanner />
    <Container
      component="main"
      id="content"
      tabIndex={-1}
      size={narrow ? 480 : 1080}
      px="md"
      py={{ base: 'lg', sm: narrow ? 48 : 'xl' }}
      className={classes.page}
    >
      {children}
    </Container>
    <Footer narrow={narrow} />
  </Box>
)

const Footer = ({ narrow }: { narrow: boolean }) => (
  <Group component="footer" justify="center" gap="lg" p="lg" fz="sm" c="dimmed">
    {!narrow && (
      <>
        <Link to="/directory" c="dimmed">
          {t('common.directory-of-apps')}
        </Link>
        <a href="/docs" className={classes.foot}>
          {t('common.documentation')}
        </a>
        <Link to="/status" c="dimmed">
          {t('common.status')}
        </Link>
      </>
    )}
    <LanguageSelect />
  </Group>
)
