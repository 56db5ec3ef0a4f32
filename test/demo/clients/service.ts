import { afterAll, beforeAll } from 'vitest';
import { startDemoService, type DemoService } from '../../../src/demo/service.ts';

/** A demo service for the clients of others, which takes no time to make anything. */
export function serviceForClients(): { readonly current: DemoService } {
  let service: DemoService | undefined;
  beforeAll(async () => {
    service = await startDemoService({ media: 'tiny', speed: { textMs: 0, imageMs: 0, jitter: 0 } });
  });
  afterAll(() => service?.stop());
  return {
    get current() {
      if (!service) throw new Error('the service has not been started');
      return service;
    },
  };
}
