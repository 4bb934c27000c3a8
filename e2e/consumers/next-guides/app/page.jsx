"use client";

import { useEffect } from "react";
import { start } from "./guides/start";

export default function Page() {
  useEffect(() => start(), []);
  return <p>The workers of the guides</p>;
}
