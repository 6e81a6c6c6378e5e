import { Text, VisuallyHidden } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { stepLink, type Module } from './course.ts'
import classes from './learning.module.css'
import { t } from '../../texts.ts'

/** The steps of a module with their completion and reward. */
export const StepList = ({ module, current_step_id }: { module: Module; current_step_id?: string }) => (
  <ol className={classes.steps} aria-label={t('learning.step-list.steps-of', { title: module.title })}>
    {module.steps.map((step, at) => (
      <li key={step.step_id}>
        <Link
          {...stepLink({ module, step })}
          underline="never"
          className={`${classes.step} ${step.step_id === current_step_id ? classes.current : ''}`}
          aria-current={step.step_id === current_step_id ? 'step' : undefined}
        >
          <span className={`${classes.mark} ${step.completed ? classes.done : ''}`}>
            {step.completed ? <Icon name="check" size={14} /> : <span aria-hidden="true">{at + 1}</span>}
          </span>
          <span>
            {step.title}
            {step.completed && <VisuallyHidden> {t('learning.step-list.completed')}</VisuallyHidden>}
          </span>
          {step.reward !== null && (
            <Text span size="sm" c="dimmed" className="number" fw={400}>
              {current_step_id === undefined ? formatPoints(step.reward) : `+${step.reward}`}
            </Text>
          )}
        </Link>
      </li>
    ))}
  </ol>
)
