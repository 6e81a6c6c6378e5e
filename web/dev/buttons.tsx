import { ActionIcon, Button } from '@mantine/core'
import { CopyButton } from '../ui/copy-button.tsx'
import { CsvButton } from '../ui/download-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { InboxLink } from '../ui/inbox-link.tsx'
import { Link, LinkButton } from '../ui/link.tsx'
import { AddButton, RemoveButton } from '../ui/list-buttons.tsx'
import { MenuItem } from '../ui/menu-item.tsx'
import { ActionMenu } from '../ui/menu.tsx'
import { UserMenu } from '../ui/user-menu.tsx'
import { forever, Part, refusals, State, States } from './part.tsx'

const nothing = () => {}

const variants = [
  ['filled', {}],
  ['default', { variant: 'default' }],
  ['light', { variant: 'light' }],
  ['subtle', { variant: 'subtle', color: 'gray' }],
  ['red', { color: 'red' }],
  ['red, light', { color: 'red', variant: 'light' }],
] as const

export const Buttons = () => (
  <>
    <Part file="Button">
      {variants.map(([name, props]) => (
        <State key={name} name={name}>
          <States>
            <Button {...props}>Save</Button>
            <Button {...props} leftSection={<Icon name="plus" size={16} />}>
              Add
            </Button>
            <Button {...props} size="xs">
              Small
            </Button>
            <Button {...props} size="compact-sm">
              Compact
            </Button>
            <Button {...props} loading>
              Busy
            </Button>
            <Button {...props} disabled>
              Disabled
            </Button>
          </States>
        </State>
      ))}
      <State name="icon alone">
        <States>
          <ActionIcon aria-label="More" variant="subtle" color="gray" size="lg">
            <Icon name="dots" />
          </ActionIcon>
          <ActionIcon aria-label="More, disabled" variant="subtle" color="gray" size="lg" disabled>
            <Icon name="dots" />
          </ActionIcon>
        </States>
      </State>
    </Part>
    <Part file="link.tsx">
      <States>
        <Link to="/directory">A link in a text</Link>
        <LinkButton to="/directory">A link as a button</LinkButton>
        <LinkButton to="/directory" variant="default" disabled>
          Disabled
        </LinkButton>
      </States>
    </Part>
    <Part file="copy-button.tsx">
      <States>
        <CopyButton text="plaza_secret" what="the secret" />
        <CopyButton text="plaza_secret" what="the secret" label="Copy the secret" disabled />
      </States>
    </Part>
    <Part file="download-button.tsx">
      <State name="done at once, disabled, busy when pressed, refused when pressed">
        <States>
          <CsvButton save={() => Promise.resolve()} done="The file is saved." disabled={false} />
          <CsvButton save={forever} done="" disabled />
          <CsvButton save={forever} done="" disabled={false} />
          <CsvButton save={() => Promise.reject(refusals.failed)} done="" disabled={false} />
        </States>
      </State>
    </Part>
    <Part file="list-buttons.tsx">
      <States>
        <AddButton onClick={nothing}>Another address</AddButton>
        <RemoveButton label="Remove the address" onClick={nothing} />
      </States>
    </Part>
    <Part file="menu.tsx">
      <States>
        <ActionMenu button={<Button variant="default">Actions</Button>}>
          <MenuItem icon="pencil" onClick={nothing}>
            Rename
          </MenuItem>
          <MenuItem icon="trash" onClick={nothing} disabled>
            Delete
          </MenuItem>
        </ActionMenu>
        <UserMenu username="Ada" onShortcuts={nothing} />
        <UserMenu username="A name of many many many letters" onShortcuts={nothing} />
        <InboxLink />
      </States>
    </Part>
  </>
)
