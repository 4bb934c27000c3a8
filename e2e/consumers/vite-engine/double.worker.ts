import { serve } from "framebatch/worker";

serve<number, number>({ run: (numbers) => numbers.map((number) => 2 * number) });
