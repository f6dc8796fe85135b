mod burr;
mod motor;
