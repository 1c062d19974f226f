/** The state of a service: off before its first start and after its end, ending while it is being stopped. */
export type ServiceLife = 'off' | 'on' | 'ending';
