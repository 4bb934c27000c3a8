interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  readonly onChange: (value: number) => void;
}

/** A number input that rejects invalid values. */
export function NumberField({ label, value, min, max, step = 1, onChange }: NumberFieldProps) {
  return (
    <label class="number">
      <span>{label}</span>
      <input
        class="text"
        type="number"
        value={value}
        min={min}
        max={max}
        step={step}
        onChange={({ currentTarget }) => {
          if (currentTarget.validity.valid && currentTarget.value !== "") onChange(currentTarget.valueAsNumber);
          else currentTarget.value = String(value);
        }}
      />
    </label>
  );
}
