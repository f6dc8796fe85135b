use beans::Roast;
