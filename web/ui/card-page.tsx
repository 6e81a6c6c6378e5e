import { Box, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Section } from './page-parts.tsx'
import { PageTitle } from './page-title.tsx'

/** A page with one card: title, explanation and a form. */
export const CardPage = ({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) => (
  <Section>
    <Box mb="lg">
      <PageTitle key={title} fz={24}>
        {title}
      </PageTitle>
      {about !== undefined && (
        <Text c="dimmed" mt={6}>
          {about}
        </Text>
      )}
    </Box>
    {children}
  </Section>
)
