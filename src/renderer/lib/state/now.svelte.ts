import { createSubscriber } from 'svelte/reactivity';

let now = Date.now();

const subscribe = createSubscriber((update) => {
  const timer = setInterval(() => {
    now = Date.now();
    update();
  }, 1000);
  return () => clearInterval(timer);
});

/** The time in ms, once a second while anybody looks at it. For countdowns and "how long". */
export function currentTime(): number {
  subscribe();
  now = Math.max(now, Date.now() - 1000);
  return now;
}
