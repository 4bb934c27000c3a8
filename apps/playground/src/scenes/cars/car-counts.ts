/** The numbers of cars that the slider offers. Each is about 1.4 times the one before. */
export const CAR_COUNTS = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024] as const;

export const MIN_CARS = CAR_COUNTS[0];
export const MAX_CARS = 1024;

/** The position of a number of cars on the slider, 0 to 1. */
export function positionOf(cars: number): number {
  return Math.min(1, Math.max(0, Math.log(cars / MIN_CARS) / Math.log(MAX_CARS / MIN_CARS)));
}

/** The slider's stop that is nearest to a number of cars. */
export function stopOf(cars: number): number {
  const distances = CAR_COUNTS.map((count) => Math.abs(positionOf(count) - positionOf(cars)));
  return distances.indexOf(Math.min(...distances));
}
