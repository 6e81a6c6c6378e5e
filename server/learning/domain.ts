import type { Domain, Platform } from '../domain.ts'
import type { RewardTime } from '../points/rewards.service.ts'
import type { Course } from './content.rules.ts'
import { learningRoutes } from './routes.ts'

/** Learning paths, and the points for their steps. */
export const learningDomain = (
  { db, clock }: Platform,
  { rewards }: { rewards: RewardTime },
  course: Course,
): Domain => ({ mount: (http) => learningRoutes(http, { db, clock, course, rewards }) })
