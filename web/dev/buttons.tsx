import { ActionIcon, Button, type ButtonProps } from '@mantine/core'
import { CopyButton } from '../ui/copy-button.tsx'
import { CsvButton, DownloadButton } from '../ui/download-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { InboxLink } from '../ui/inbox-link.tsx'
import { Link, LinkButton } from '../ui/link.tsx'
import { AddButton, RemoveButton } from '../ui/list-buttons.tsx'
import { MenuItem } from '../ui/menu-item.tsx'
import { ActionMenu } from '../ui/menu.tsx'
import { UserMenu } from '../ui/user-menu.tsx'
import { forever, nothing, refusals, row, type Parts } from './part.tsx'

const variants: Record<string, ButtonProps> = {
  filled: {},
  default: { variant: 'default' },
  light: { variant: 'light' },
  subtle: { variant: 'subtle', color: 'gray' },
  red: { color: 'red' },
  'red, light': { color: 'red', variant: 'light' },
}

const states: Record<string, ButtonProps> = {
  Save: {},
  Add: { leftSection: <Icon name="plus" size={16} /> },
  Small: { size: 'xs' },
  Compact: { size: 'compact-sm' },
  Busy: { loading: true },
  Disabled: { disabled: true },
}

const more = { variant: 'subtle', color: 'gray', size: 'lg', children: <Icon name="dots" /> }

export const buttons: Parts = {
  Button: {
    ...Object.fromEntries(
      Object.entries(variants).map(([name, variant]) => [
        name,
        row(
          ...Object.entries(states).map(([label, state]) => (
            <Button key={label} {...variant} {...state}>
              {label}
            </Button>
          )),
        ),
      ]),
    ),
    'icon alone': row(
      <ActionIcon {...more} aria-label="More" />,
      <ActionIcon {...more} aria-label="More, disabled" disabled />,
    ),
  },
  'link.tsx': row(
    <Link to="/directory">A link in a text</Link>,
    <LinkButton to="/directory">A link as a button</LinkButton>,
    <LinkButton to="/directory" variant="default" disabled>
      Disabled
    </LinkButton>,
  ),
  'copy-button.tsx': row(
    <CopyButton text="plaza_secret" what="the secret" />,
    <CopyButton text="plaza_secret" what="the secret" label="Copy the secret" disabled />,
  ),
  'download-button.tsx': {
    'done at once, disabled, busy when pressed, refused when pressed': row(
      <DownloadButton label="Save" save={() => Promise.resolve()} done="The file is saved." />,
      <CsvButton save={forever} done="" disabled />,
      <CsvButton save={forever} done="" />,
      <CsvButton save={() => Promise.reject(refusals.failed)} done="" />,
    ),
  },
  'list-buttons.tsx': row(
    <AddButton onClick={nothing}>Another address</AddButton>,
    <RemoveButton label="Remove the address" onClick={nothing} />,
  ),
  'menu.tsx': row(
    <ActionMenu button={<Button variant="default">Actions</Button>}>
      <MenuItem icon="pencil" onClick={nothing}>
        Rename
      </MenuItem>
      <MenuItem icon="trash" onClick={nothing} disabled>
        Delete
      </MenuItem>
    </ActionMenu>,
    <UserMenu user={{ username: 'Ada' }} onShortcuts={nothing} />,
    <UserMenu user={{ username: 'A name of many many many letters' }} onShortcuts={nothing} />,
    <InboxLink />,
  ),
}
