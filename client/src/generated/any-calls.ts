// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { CallOptions } from '../options.ts'

/** What a person may call, and an app by itself or for a person. */
export interface AnyCalls {
  /**
   * Whether containers can be hosted here now, what is missing, and where images may come from
   *
   * Besides the app, anybody who is signed in may call it, before an app has `deploy:manage`. `missing` names
   * `registries` where no registry is set, `container_hosts` where there is no container host, `container_engine`
   * where none of them can be reached at the moment, and `tiers` where none is offered.
   *
   * `GET /api/deploy/availability`
   */
  readonly getHostingAvailability: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** Whether a deployment can be made now */
    available: boolean
    /** What is missing for it; empty where nothing is */
    missing: ('registries' | 'container_hosts' | 'container_engine' | 'tiers')[]
    /** Where images may come from */
    registries: {
      /** The registry of this installation; null where there is none */
      private: string | null
      /** A public registry, of which only official images are taken; null where there is none */
      public: string | null
      /** The registry of a code host; null where there is none */
      code_host: string | null
    }
  }>
}
