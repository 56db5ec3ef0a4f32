import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** The time in ms, once a second while anybody looks at it. For countdowns and "how long". */
export function currentTime(): number {
  subscribe();
  return Date.now();
}
