export type Money = { cents: number };
