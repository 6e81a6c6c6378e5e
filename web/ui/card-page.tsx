import { Box, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Section } from './page-parts.tsx'

/** A page that is one card: its question, why it is asked, and the answer's form. */
export const CardPage = ({ title, about, children }: { title: ReactNode; about?: ReactNode; children: ReactNode }) => (
  <Section>
    <Box mb="lg">
      <Title order={1} fz={24} tabIndex={-1}>
        {title}
      </Title>
      {about !== undefined && (
        <Text c="dimmed" mt={6}>
          {about}
        </Text>
      )}
    </Box>
    {children}
  </Section>
)
