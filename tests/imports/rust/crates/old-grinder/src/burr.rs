use motor::Motor;
use ::motor::Speed;
